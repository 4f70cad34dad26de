/** A promise that a store broke, by the name of the invariant; `model` where only the model says so. */
export class Broken extends Error {
  readonly invariant: string

  constructor(invariant: string, details: object) {
    super(`${invariant} is broken: ${JSON.stringify(details, null, 1)}`)
    this.invariant = invariant
  }
}
