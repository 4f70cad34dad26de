/** Shows how far the work is: a bar on a terminal, a line for each tenth elsewhere. */
import cliProgress from 'cli-progress'

/** Told of each job that is done. */
export interface Progress {
  done(): void
  stop(): void
}

/** Begins to show the progress of `total` jobs. */
export function showProgress(total: number): Progress {
  return process.stdout.isTTY ? bar(total) : lines(total)
}

function bar(total: number): Progress {
  const shown = new cliProgress.SingleBar(
    { format: '  {bar} {percentage}%  {value} of {total} jobs  {duration_formatted}', stopOnComplete: false },
    cliProgress.Presets.shades_classic,
  )
  shown.start(total, 0)
  return { done: () => shown.increment(), stop: () => shown.stop() }
}

function lines(total: number): Progress {
  let count = 0
  return {
    done() {
      count++
      const tenth = (jobs: number) => Math.floor((jobs * 10) / total)
      if (tenth(count) > tenth(count - 1)) console.log(`  ${count} of ${total} jobs`)
    },
    stop() {},
  }
}
