import { refused, type Refusal } from '../../base/refusal.ts'

type Mode = 'test' | 'live'

/** Why a link may not be put; null for nothing. `inUse`: the modes of the accounts that use it. */
export function decideLink(
  link: { readonly name: string; readonly mode: Mode },
  inUse: readonly Mode[],
): Refusal | null {
  if (inUse.every((mode) => mode === link.mode)) return null
  return refused(
    'conflict',
    `mode is "${link.mode}", but merchant accounts of the other mode use the link ` +
      `${link.name}. Give this one another name.`,
  )
}
