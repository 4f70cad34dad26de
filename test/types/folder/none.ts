/** No job file. */
export const word = 'a'
