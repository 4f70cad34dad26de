/** A job file without an input. */
export function run(): bigint {
  return 1n
}
