throw new Error('no database password')
