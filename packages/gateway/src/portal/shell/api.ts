// What the portal's API answers, as the pages read it. Types alone: nothing here runs.
import type * as person from './usecases/person.ts'

/** A value as JSON carries it: ids and amounts in minor units as text, times as ISO 8601. */
export type Wire<Value> = Value extends bigint | Date
  ? string
  : Value extends readonly (infer Item)[]
    ? readonly Wire<Item>[]
    : Value extends object
      ? { readonly [Key in keyof Value]: Wire<Value[Key]> }
      : Value

export type SessionView = Wire<person.SessionView>
/** Of somebody who has a step left before they are in. */
export type UnfinishedView = Wire<person.UnfinishedView>
export type SiteSummary = Wire<person.SiteSummary>

/** What every refusal looks like. */
export interface FaultAnswer {
  readonly error: { readonly code: string; readonly message: string; readonly field?: string }
}
