import type { Path } from '../path.ts'
import { bankFaults } from './bank-faults.ts'
import { browser } from './browser.ts'
import { cardPage } from './card-page.ts'
import { commands } from './commands.ts'
import { operatorConsole } from './console.ts'
import { crashes } from './crashes.ts'
import { disputes } from './disputes.ts'
import { logins } from './logins.ts'
import { mails } from './mails.ts'
import { malformedRequests } from './malformed-requests.ts'
import { pastedNumbers } from './pasted-numbers.ts'
import { payments } from './payments.ts'
import { portal } from './portal.ts'
import { programRequests } from './program-requests.ts'
import { refusals } from './refusals.ts'
import { threeDs } from './three-ds.ts'
import { tokens } from './tokens.ts'
import { vault } from './vault.ts'
import { webhooks } from './webhooks.ts'

/** Every way in, in the sequence in which they are taken. */
export const PATHS: readonly Path[] = [
  payments,
  refusals,
  logins,
  portal,
  operatorConsole,
  tokens,
  threeDs,
  cardPage,
  browser,
  mails,
  malformedRequests,
  pastedNumbers,
  programRequests,
  webhooks,
  vault,
  disputes,
  bankFaults,
  crashes,
  commands,
]
