import './there-is-no-such-file.ts'
