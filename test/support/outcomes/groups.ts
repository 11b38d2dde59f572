import { TOKEN_REFUSALS } from '../../../packages/gateway/src/http/tokens/token-refusals.ts'
import { CARD_GROUPS } from './card-groups.ts'
import { CODE_GROUPS } from './code-groups.ts'
import { FAULT_GROUPS } from './fault-groups.ts'
import { LIFE_GROUPS } from './life-groups.ts'
import { TESTS } from './other-tests.ts'
import type { OutcomeGroup } from './outcome-group.ts'

/** Every kind of outcome that an integrator can see, in the sequence of the table. */
export const GROUPS = {
  ...CODE_GROUPS,
  ...CARD_GROUPS,
  ...LIFE_GROUPS,
  tokens: {
    title: 'Token service',
    documented: ['made', ...Object.keys(TOKEN_REFUSALS)],
    elsewhere: {
      unavailable: TESTS.tokensUnavailable,
      rate_exceeded: TESTS.tokenVolume,
      system_error: TESTS.tokenFault,
    },
  },
  ...FAULT_GROUPS,
} as const satisfies Readonly<Record<string, OutcomeGroup>>

export type GroupName = keyof typeof GROUPS
