import type { BankRule } from '@tollgate/portal-contract/answers/developer'

/** The fault of a rule, with its parameters. */
export function actionText({ kind, ...rest }: BankRule['action']): string {
  const words = Object.entries(rest).map(([name, value]) =>
    name === 'delayMs'
      ? `${Number(value) / 1_000} s`
      : name === 'applied'
        ? value === true
          ? 'booked'
          : 'not booked'
        : String(value),
  )
  return [kind.replaceAll('_', ' '), ...words].join(', ')
}
