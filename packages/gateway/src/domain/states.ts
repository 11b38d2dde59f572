/** A state of a row: its meaning, and the causes that move the row on. */
export interface State<Name extends string> {
  readonly meaning: string
  /** The event that creates a row in this state; null if no row starts in it. */
  readonly start: string | null
  /** The next states, each with its cause; empty for a final state. */
  readonly next: Readonly<Partial<Record<Name, string>>>
}

export type StateTable<Name extends string> = Readonly<Record<Name, State<Name>>>

/** The same table; the compiler checks that every next state is a state of the table. */
export function defineStates<const Name extends string>(table: StateTable<Name>): StateTable<Name> {
  return table
}

/** Whether no next state is declared. */
export function isFinal<Name extends string>(table: StateTable<Name>, name: Name): boolean {
  return Object.keys(table[name].next).length === 0
}
