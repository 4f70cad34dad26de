/** Stores with one mistake each about unique keys, follow-ups, dependencies and children. */
import type { Database } from 'better-sqlite3'
import type { NewJob } from '../../../src/job/new-job.ts'
import type { Answer, Command } from '../../../src/persistence/commands/command.ts'
import { bent, type WrongStore } from './bent-store.ts'

/** The keys of the jobs that a wrong store hides from the look before the insert. */
const hidden = (key: string): string => `hidden ${key}`

function hideKeys(jobs: readonly NewJob[]): NewJob[] {
  return jobs.map((job) => (job.unique === undefined ? job : { ...job, unique: { ...job.unique, key: hidden(job.unique.key) } }))
}

/** What a check-then-insert does when two of them meet: both have looked before either one inserts. */
function loseTheIndex(db: Database): void {
  db.exec('DROP INDEX reeve_jobs_unique')
  db.exec('CREATE INDEX reeve_jobs_unique ON reeve_jobs (unique_key) WHERE unique_holds = 1')
}

function showKeys(db: Database): void {
  db.exec("UPDATE reeve_jobs SET unique_key = substr(unique_key, 8) WHERE unique_key LIKE 'hidden %'")
}

const insertBare = `INSERT OR IGNORE INTO reeve_jobs (id, kind, queue, state, priority, run_at, created_at)
  VALUES (?, 'resize', 'default', 'ready', 0, 0, 0)`

function insertChildren(command: Command | undefined, db: Database): void {
  if (command?.type !== 'settle' || command.settlement.type !== 'complete') return
  for (const { id } of command.settlement.children ?? []) db.prepare(insertBare).run(id)
}

const each = (commands: readonly Command[], answers: readonly Answer[], see: (command: Command, answer: Answer) => void) =>
  answers.forEach((answer, index) => see(commands[index] as Command, answer))

/** Holds the key of a job on that was ended. */
function keepKey(db: Database, id: string): void {
  db.prepare("UPDATE OR IGNORE reeve_jobs SET unique_holds = 1 WHERE id = ? AND unique_while = 'live' AND settled_at > 0").run(id)
}

/** All of them. */
export const wrongTiedStores: readonly WrongStore[] = [
  bent('checks for a key and then inserts', ['unique-key-holds'], {
    command: (command) => (command.type === 'enqueue' ? { ...command, jobs: hideKeys(command.jobs) } : command),
    before: (commands, db) => void (commands.some(({ type }) => type === 'enqueue') && loseTheIndex(db)),
    after: (_commands, _answers, db) => showKeys(db),
  }),
  bent('does not free the key of a job that is cancelled while it waits', ['one-transaction-frees-all'], {
    after: (commands, answers, db) =>
      each(commands, answers, (command, answer) => {
        if (command.type === 'cancel' && answer.type === 'cancelled') keepKey(db, command.jobId)
      }),
  }),
  bent('does not free the key of a job that died with its process', ['one-transaction-frees-all'], {
    after: (_, answers, db) => {
      for (const answer of answers) if (answer.type === 'reclaimed') for (const { id } of answer.jobs) keepKey(db, id)
    },
  }),
  bent('frees the key when the job begins to run', ['unique-key-holds'], {
    after: (_, answers, db) => {
      for (const answer of answers)
        if (answer.type === 'claimed')
          for (const { id } of answer.jobs) db.prepare('UPDATE reeve_jobs SET unique_holds = 0 WHERE id = ?').run(id)
    },
  }),
  bent('forgets the follow-up', ['conservation'], {
    after: (commands, _, db) =>
      void (commands.some(({ type }) => type === 'settle') && db.exec('DELETE FROM reeve_jobs WHERE follow_key IS NOT NULL')),
  }),
  bent('leaves the follow-up waiting after the job that it follows', ['suspended-has-a-waker', 'published-edges-only', 'model'], {
    after: (_, answers, db) => {
      for (const answer of answers)
        if ('moved' in answer)
          for (const { id } of answer.moved ?? [])
            db.prepare(`UPDATE reeve_jobs SET state = 'suspended', follow_key = unique_key, unique_holds = 0
              WHERE id = ? AND unique_key IS NOT NULL AND state = 'ready'`).run(id)
    },
  }),
  bent('names a duplicate by an id that no job has', ['duplicate-gets-the-original', 'enqueue-atomic'], {
    answers: (answers) => answers.map(nameNobody),
  }),
  bent('keeps the first job of a batch that was refused', ['enqueue-atomic', 'conservation'], {
    after: (commands, answers, db) =>
      each(commands, answers, (command, answer) => {
        if (command.type === 'enqueue' && answer.type === 'refused') db.prepare(insertBare).run(command.jobs[0]?.id)
      }),
  }),
  bent('writes the children of a stale settle', ['settle-is-compare-and-set', 'conservation'], {
    after: (commands, answers, db) =>
      each(commands, answers, (command, answer) => {
        if (answer.type === 'stale') insertChildren(command, db)
      }),
  }),
  bent('writes the children of a job that was cancelled', ['conservation'], {
    after: (commands, answers, db) =>
      each(commands, answers, (command, answer) => {
        if (answer.type === 'settled' && answer.state === 'cancelled') insertChildren(command, db)
      }),
  }),
  bent('lets a job go after the first of those that it waits for', ['one-transaction-frees-all'], {
    after: (_commands, _answers, db) =>
      db.exec(`UPDATE reeve_jobs SET state = 'cancelled', settled_at = 1, settled_token = token
        WHERE state = 'suspended' AND (SELECT count(*) FROM reeve_dependencies WHERE job = seq) > 1`),
  }),
  bent('does not say whom it let go', ['moves-are-told'], {
    answers: (answers) =>
      answers.map((answer) => {
        if (!('moved' in answer)) return answer
        const { moved, ...rest } = answer
        return rest
      }),
  }),
]

function nameNobody(answer: Answer): Answer {
  if (answer.type !== 'enqueued' || answer.placed === undefined) return answer
  const wrong = answer.placed.map((placement) =>
    placement.result === 'existing' ? { ...placement, jobId: `nobody-${placement.index}` as typeof placement.jobId } : placement,
  )
  return { ...answer, placed: wrong }
}
