if (process.env.REEVE_TEST_PRELOAD === 'exit') process.exit(9)
throw new Error('broken preload')
