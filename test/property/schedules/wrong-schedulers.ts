/** Ways to fire schedules with one mistake each, such as people make, and the invariants that they break. */
import type { Command } from '../../../src/persistence/commands/command.ts'
import type { FireScheduleCommand } from '../../../src/persistence/commands/schedules.ts'
import type { Wrap } from './machine.ts'

/** A mistake. */
export interface WrongScheduler {
  readonly mistake: string
  /** The invariants of which the property must name one. */
  readonly breaks: readonly string[]
  readonly wrap: Wrap
}

const isFire = (command: Command): command is FireScheduleCommand => command.type === 'fire-schedule'

/** Changes each decision before it is committed. */
function bent(
  mistake: string,
  breaks: readonly string[],
  bend: (command: FireScheduleCommand) => FireScheduleCommand,
): WrongScheduler {
  const wrap: Wrap = (store) => ({
    ...store,
    commit: (commands, options) =>
      store.commit(
        commands.map((command) => (isFire(command) ? bend(command) : command)),
        options,
      ),
  })
  return { mistake, breaks, wrap }
}

/** A tick is keyed by when somebody looked, and the next one counted from there. */
function byNow(command: FireScheduleCommand): FireScheduleCommand {
  if (command.run.length === 0) return command
  const run = command.run.slice(-1).map((tick) => ({ ...tick, instant: command.now }))
  return { ...command, run, newCursor: command.now }
}

/** First the jobs, then the cursor, in another transaction; and the process dies between the two. */
function jobsOnly(command: FireScheduleCommand): FireScheduleCommand {
  if (command.run.length === 0) return command
  return { ...command, newCursor: command.cursor, skipped: null }
}

/** What runs is looked at when the decision is made, and not when it is committed. */
const overlapBefore: Wrap = (store, rig) => {
  const free = new Set<string>()
  const live = rig.db.prepare<[string]>('SELECT 1 FROM reeve_jobs WHERE schedule = ? AND settled_at IS NULL')
  const set = rig.db.prepare("UPDATE reeve_schedules SET spec = json_set(spec, '$.overlap', ?) WHERE name = ?")
  const get = rig.db.prepare<[string], string>("SELECT spec ->> '$.overlap' FROM reeve_schedules WHERE name = ?").pluck()
  return {
    ...store,
    async dueSchedules(kinds, now) {
      const found = await store.dueSchedules(kinds, now)
      for (const { name } of found.due) {
        if (live.get(name) === undefined) free.add(name)
        else free.delete(name)
      }
      return found
    },
    async commit(commands, options) {
      const bent = commands.filter(isFire).filter(({ name, run }) => run.length > 0 && free.has(name))
      const rules = bent.map(({ name }) => [get.get(name), name] as const)
      for (const { name } of bent) set.run('allow', name)
      const answers = await store.commit(commands, options)
      for (const [rule, name] of rules) set.run(rule, name)
      return answers
    },
  }
}

/** Decides on whatever the row says by now: no compare before the set. */
const uncompared: Wrap = (store, rig) => {
  const row = rig.db.prepare<[string], { cursor: number; revision: number }>(
    'SELECT cursor, revision FROM reeve_schedules WHERE name = ?',
  )
  return {
    ...store,
    commit: (commands, options) =>
      store.commit(
        commands.map((command) => (isFire(command) ? { ...command, ...row.get(command.name) } : command)),
        options,
      ),
  }
}

/** The end of a job gives nobody a turn. */
const turnless: Wrap = (store, rig) => {
  const undo = rig.db.prepare(`
    UPDATE reeve_jobs SET state = 'suspended', in_turn = 1 WHERE state = 'ready' AND id = ?
  `)
  const waiting = rig.db.prepare<[], string>("SELECT id FROM reeve_jobs WHERE in_turn = 1 AND state = 'suspended'").pluck()
  return {
    ...store,
    async commit(commands, options) {
      const waited = waiting.all()
      const answers = await store.commit(commands, options)
      for (const id of waited) undo.run(id)
      return answers
    },
  }
}

/** All of them. */
export const wrongSchedulers: readonly WrongScheduler[] = [
  bent('is keyed by now', ['cursor-grows', 'fires-once', 'gap-policy'], byNow),
  bent('says nothing of what it does not run', ['gap-policy'], (command) => ({ ...command, skipped: null })),
  bent('runs all that was missed, once', ['gap-policy'], (command) => ({ ...command, run: command.run.slice(-1) })),
  bent('moves the cursor to now', ['cursor-grows'], (command) => ({
    ...command,
    newCursor: Math.max(command.newCursor, command.now),
  })),
  bent('moves the cursor by one tick only', ['fires-once'], (command) => ({
    ...command,
    newCursor: command.run[0]?.instant ?? command.newCursor,
  })),
  bent('inserts and advances in two transactions', ['fires-once'], jobsOnly),
  { mistake: 'looks at what runs before its transaction', breaks: ['overlap'], wrap: overlapBefore },
  { mistake: 'does not compare before it sets', breaks: ['cursor-grows', 'gap-policy', 'fires-once'], wrap: uncompared },
  { mistake: 'gives nobody a turn', breaks: ['suspended-has-a-waker'], wrap: turnless },
]
