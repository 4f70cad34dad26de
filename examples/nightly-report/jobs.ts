import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineJobs, job } from 'reeve'

const timeZone = 'Europe/Berlin'

/** The calendar day of an instant, such as 2026-03-28, where the reports are read. */
const dayOf = (instant: number) => new Intl.DateTimeFormat('sv', { timeZone, dateStyle: 'short' }).format(instant)

export default defineJobs({
  report: job({
    // Nights on which nothing ran are made up for: the last three of them, oldest first.
    schedule: { cron: '30 2 * * *', timeZone, catchUp: { all: true, max: 3 } },
    run(_input: undefined, { run }) {
      // The night that it is for, and not the moment at which it runs; a second run writes the same file.
      const day = dayOf(run.scheduledAt ?? Date.now())
      const file = join(process.env['REPORTS'] ?? '.', `report-${day}.txt`)
      writeFileSync(file, `The report of the night of ${day}.\n`)
      return { day, isCatchUp: run.isCatchUp }
    },
  }),
})
