const how = process.env.REEVE_TEST_PRELOAD
if (how === 'exit') process.exit(9)
if (how === 'throw') throw new Error('broken preload')
