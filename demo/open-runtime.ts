/** Opens Reeve as the demo uses it, and closes it when Ctrl-C is pressed. */
import { createRuntime, type Durability, type Runtime } from 'reeve'
import type jobs from './jobs.ts'

/** The runtime with the demo's kinds. */
export type DemoRuntime = Runtime<typeof jobs>

/** What the command line may say of the runtime. */
export interface RuntimeChoices {
  readonly threads?: number
  readonly durability?: Durability
}

/** Opens the runtime. Once it is closed by Ctrl-C every wait ends with `REEVE_RUNTIME_CLOSED`; the jobs stay in the database. */
export async function openRuntime(database: string, { threads, durability = 'power' }: RuntimeChoices): Promise<DemoRuntime> {
  const runtime = await createRuntime<typeof jobs>({
    database,
    jobs: new URL('./jobs.ts', import.meta.url),
    durability,
    ...(threads !== undefined && { threads }),
  })
  process.once('SIGINT', () => {
    console.log('\nClosing: what runs may finish, what waits stays in the database.')
    runtime.close({ timeout: '2s' }).catch(console.error)
  })
  return runtime
}
