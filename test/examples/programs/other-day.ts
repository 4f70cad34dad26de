/** Loaded before a program, on each of its threads: there it is another day, and time goes on from there. */
const shiftMs = Number(process.env['SHIFT_MS'] ?? 0)
const now = Date.now.bind(Date)
Date.now = () => now() + shiftMs
