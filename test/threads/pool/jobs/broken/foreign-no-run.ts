/** What another copy of the package, which checks less, would have let through. */
export default { [Symbol.for('reeve.jobs')]: true, kinds: { resize: { [Symbol.for('reeve.job')]: true, options: {} } } }
