// Loaded into a node before everything else: its machine's clock goes wrong by `ms` of the address.
const ahead = Number(new URL(import.meta.url).searchParams.get('ms'))
const RealDate = Date

globalThis.Date = class extends RealDate {
  constructor(...values: readonly unknown[]) {
    super(...((values.length === 0 ? [RealDate.now() + ahead] : values) as [number]))
  }

  static override now(): number {
    return RealDate.now() + ahead
  }
} as DateConstructor
