/**
 * Steers `test/crash/syscalls/shim.c`, which lets writes and syncs of a program's database go wrong. The program is started with
 * `env` in its environment; a fault that is set later hits it while it runs.
 */
import { execFileSync } from 'node:child_process'
import { closeSync, openSync, readSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const source = fileURLToPath(new URL('../../../crash/syscalls/shim.c', import.meta.url))

/** In the order of the shim's own list. */
const faultNames = ['none', 'EIO', 'ENOSPC', 'short', 'cut', 'torn', 'kill', 'power', 'EROFS'] as const

/**
 * What happens to the call: it fails with `EIO`, `ENOSPC` or `EROFS` (a disk that was made read-only under it); writes the first half and says so (`short`), and fails (`cut`),
 * or is where the process dies (`torn`); the process dies before it (`kill`), and what was not synced is gone (`power`).
 */
export type Fault = (typeof faultNames)[number]

/** Where each number stands in the control file, in bytes. */
const offsets = { at: 0, fault: 4, lasting: 8, calls: 12, seconds: 16 } as const

/** The control file of a shim. Several programs may share one. */
export class ShimControl {
  readonly file: string

  constructor(file: string) {
    this.file = file
  }

  /** Makes the file: no fault, nothing counted. */
  static make(file: string): ShimControl {
    writeFileSync(file, new Uint8Array(20))
    return new ShimControl(file)
  }

  /** Begins to count, and lets the `at`-th call from now on (from 1; 0 for none) go wrong; all later ones too where it is `lasting`. */
  set(fault: Fault, { at = 1, lasting = false }: { readonly at?: number; readonly lasting?: boolean } = {}): void {
    // No call may meet half of this: the fault is armed last.
    this.#put('at', 0)
    this.#put('calls', 0)
    this.#put('fault', faultNames.indexOf(fault))
    this.#put('lasting', lasting ? 1 : 0)
    this.#put('at', at)
  }

  /** No call goes wrong any more. */
  clear(): void {
    this.set('none', { at: 0 })
  }

  /** Sets by how many seconds the wall clock is off. */
  stepWall(seconds: number): void {
    this.#put('seconds', seconds)
  }

  /** How many calls there were since `set`. */
  get calls(): number {
    return this.#use('r', (fd) => {
      const bytes = Buffer.alloc(4)
      readSync(fd, bytes, 0, 4, offsets.calls)
      return bytes.readInt32LE()
    })
  }

  #put(name: keyof typeof offsets, value: number): void {
    const bytes = Buffer.alloc(4)
    bytes.writeInt32LE(value)
    this.#use('r+', (fd) => writeSync(fd, bytes, 0, 4, offsets[name]))
  }

  #use<T>(flags: string, use: (fd: number) => T): T {
    const fd = openSync(this.file, flags)
    try {
      return use(fd)
    } finally {
      closeSync(fd)
    }
  }
}

/** A shim that was compiled, with its control. */
export interface Shim {
  readonly control: ShimControl
  /** What a program is to be started with, besides its own environment. */
  readonly env: Readonly<Record<string, string>>
}

/** Compiles the shim into `folder`; `target` is how the names of the files begin that it is to touch. Returns why not, where it cannot be had. */
export function buildShim(folder: string, target: string): Shim | string {
  if (process.platform !== 'linux') return 'LD_PRELOAD is of Linux'
  const library = join(folder, 'shim.so')
  try {
    execFileSync('cc', ['-shared', '-fPIC', '-O2', '-o', library, source, '-ldl'], { stdio: 'pipe' })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 'there is no C compiler (cc)'
    throw error
  }
  const control = ShimControl.make(join(folder, 'control'))
  return { control, env: { LD_PRELOAD: library, REEVE_SHIM_TARGET: target, REEVE_SHIM_CONTROL: control.file } }
}
