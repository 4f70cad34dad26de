export default { resize: { run() {} } }
