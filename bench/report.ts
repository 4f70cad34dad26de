/** The results as Markdown, for `bench/results/latest.md` and for the README. */
import type { Compared } from './comparisons.ts'
import type { Machine } from './machine.ts'

/** Everything of one run, as it is kept in `bench/results`. */
export interface Results {
  readonly date: string
  readonly machine: Machine
  readonly rounds: number
  readonly settings: Readonly<Record<string, number>>
  readonly compared: readonly Compared[]
  /** Each sample's numbers, one entry a round. */
  readonly samples: Readonly<Record<string, readonly Readonly<Record<string, number>>[]>>
}

const notMeasured = [
  'More worker threads than two, and machines with more cores than this one.',
  'Several processes on one database.',
  'Large inputs and results: a job carries a few bytes here.',
  'Databases of millions of rows: each sample begins with an empty one.',
  'Other job queues: their numbers depend on their servers, and on settings that their authors know better.',
]

/** The page of a whole run. */
export function latestPage(results: Results): string {
  const { date, machine, rounds, settings, compared } = results
  const { versions } = machine
  return `# Bench results

Measured ${date} by \`npm run bench\`; written by it. Medians of ${rounds} rounds; each sample in a process of its own, with ${settings['noopJobs']?.toLocaleString('en')}
no-op jobs, ${settings['cpuJobs']} jobs of 5 ms or ${settings['latencyJobs']} single jobs, on 2 worker threads, after a warm-up. Ratios and differences, not absolute
numbers, are what carries over to another machine.

| machine | |
|---|---|
| processor | ${machine.cpu}, ${machine.cores} cores |
| memory | ${machine.memoryGb} GB |
| system | ${machine.platform} |
| disk | ${machine.disk}; 4 KiB made durable in ${machine.syncMs.toFixed(2)} ms (median) |
| versions | reeve ${versions.reeve}, Node.js ${versions.node}, SQLite ${versions.sqlite}, better-sqlite3 ${versions.betterSqlite3}, piscina ${versions.piscina} |

${table(compared, true)}

## What is not measured

${notMeasured.map((line) => `- ${line}`).join('\n')}
`
}

/** The few lines for the README. */
export function readmeTable({ machine, compared, date, rounds }: Results): string {
  const lines = compared.filter(({ target }) => target !== undefined)
  return `${table(lines, false)}

Medians of ${rounds} rounds on 2 worker threads, ${date.slice(0, 10)}, ${machine.cpu} with ${machine.cores} cores, Node.js ${machine.versions.node}.
All numbers, and what is not measured: [bench/results/latest.md](bench/results/latest.md).`
}

function table(compared: readonly Compared[], withMeaning: boolean): string {
  const head = ['', 'Reeve', 'baseline', 'result', 'aim', ...(withMeaning ? ['what is measured'] : [])]
  const rows = compared.map((line) => [
    line.name,
    amount(line.subjectMedian, line.unit),
    line.baselineMedian === null ? '' : `${amount(line.baselineMedian, line.unit)} (${baselineName(line)})`,
    outcome(line),
    aim(line),
    ...(withMeaning ? [line.measures] : []),
  ])
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

function baselineName({ baseline }: Compared): string {
  if (baseline === 'idle') return 'idle process'
  return baseline?.startsWith('piscina') === true ? 'bare piscina' : 'bare SQLite'
}

function amount(value: number, unit: string): string {
  return `${value >= 100 ? Math.round(value).toLocaleString('en') : value.toFixed(2)} ${unit}`
}

function outcome({ by, outcome: value, unit }: Compared): string {
  if (by === 'ratio') return `**${value.toFixed(2)}x**`
  return by === 'difference' ? `**${value >= 0 ? '+' : '-'}${amount(Math.abs(value), unit)}**` : `**${amount(value, unit)}**`
}

function aim({ by, target, met, unit }: Compared): string {
  if (target === undefined) return ''
  const words = by === 'ratio' ? `at least ${target.toFixed(2)}x` : `at most ${by === 'difference' ? '+' : ''}${target} ${unit}`
  return met === true ? words : `${words}: **missed**`
}
