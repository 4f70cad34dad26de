/** The schedules that a kind declares with its options. */
import { optionInvalid } from '../../errors.ts'
import {
  type NewSchedule,
  newScheduleOf,
  type ScheduledJobOptions,
  type ScheduleOptions,
  type ScheduleTiming,
} from './options.ts'

/** An input, of a lower rank as a place to infer from than the handler's own parameter (`& {}`): it must not narrow the kind. */
type Given<Input> = (Input & {}) | (null extends Input ? null : never)

/** An input that may be undefined may be left out. */
type InputPart<Input> = undefined extends Input ? { readonly input?: Given<Input> } : { readonly input: Given<Input> }

/** One schedule of a kind. */
export type KindSchedule<Input> = ScheduleTiming &
  ScheduledJobOptions &
  InputPart<Input> & {
    /** Its name, one in the whole database; default the kind's. Of several schedules each needs one. */
    readonly name?: string
  }

/** One schedule, or several, whatever their inputs are. */
export type AnySchedules = NamedSchedule | readonly NamedSchedule[]
type NamedSchedule = ScheduleOptions & { readonly name?: string }

/** All schedules of a kind. */
export type KindSchedules<Input> = KindSchedule<Input> | readonly KindSchedule<Input>[]

/**
 * Checks the schedules of a kind and makes plain data of them; `option` is what they are called in the error.
 *
 * @throws ReeveError `REEVE_OPTION_INVALID` that names the option, the value and what is accepted; `REEVE_PAYLOAD_…` for an input.
 */
export function kindSchedules(schedules: AnySchedules, kind: string, option: string): readonly NewSchedule[] {
  const list: readonly NamedSchedule[] = Array.isArray(schedules) ? schedules : [schedules as NamedSchedule]
  return list.map((schedule, index) => {
    const its = list.length === 1 ? option : `${option}[${index}]`
    if (typeof schedule !== 'object' || schedule === null)
      throw optionInvalid(its, schedule, "an object with cron or every, such as { cron: '0 3 * * *' }")
    const { name = list.length === 1 ? kind : undefined, ...options } = schedule
    if (name === undefined) throw optionInvalid(`${its}.name`, name, 'a name, since the kind has several schedules')
    return newScheduleOf({ name, kind }, options, its)
  })
}

/**
 * Refuses two schedules of one name.
 *
 * @throws ReeveError `REEVE_OPTION_INVALID` that names the second one's kind.
 */
export function refuseSameNames(schedules: readonly NewSchedule[]): void {
  const kinds = new Map<string, string>()
  for (const { name, kind } of schedules) {
    const other = kinds.get(name)
    if (other !== undefined)
      throw optionInvalid(`${kind}.schedule.name`, name, `a name that no other schedule has ('${other}' has it)`)
    kinds.set(name, kind)
  }
}
