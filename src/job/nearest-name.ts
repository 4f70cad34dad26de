/** Which name somebody meant who wrote another one. */

/**
 * The name that differs from what was written by its case only, or by one slip of the finger (two, for names of seven letters
 * and more): a letter too many, too few, wrong, or swapped with the next. Null where none does.
 */
export function nearestName(written: string, names: readonly string[]): string | null {
  let nearest: string | null = null
  let least = Number.POSITIVE_INFINITY
  for (const name of names) {
    const slips = distance(written.toLowerCase(), name.toLowerCase())
    if (slips < least && slips <= (name.length >= 7 ? 2 : 1)) {
      nearest = name
      least = slips
    }
  }
  return nearest
}

/** Optimal string alignment, row by row. */
function distance(a: string, b: string): number {
  let before: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const wrong = a[i - 1] === b[j - 1] ? 0 : 1
      let least = Math.min(at(last, j) + 1, at(row, j - 1) + 1, at(last, j - 1) + wrong)
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) least = Math.min(least, at(before, j - 2) + 1)
      row.push(least)
    }
    before = last
    last = row
  }
  return at(last, b.length)
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY
}
