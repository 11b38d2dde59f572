import { text } from 'node:stream/consumers'
import { accounts } from './accounts-command.ts'
import { audit } from './audit-command.ts'
import { backup } from './backup-command.ts'
import { batches } from './batches-command.ts'
import type { BooksContext } from './books-command.ts'
import { cardTesting } from './card-testing-command.ts'
import { clock } from './clock-command.ts'
import type { Command } from './command.ts'
import { database } from './database-command.ts'
import { deposits } from './deposits-command.ts'
import { disputes } from './disputes-command.ts'
import { doctor } from './doctor-command.ts'
import { evidence } from './evidence-command.ts'
import { fees } from './fees-command.ts'
import { ids } from './ids-command.ts'
import { keys } from './keys-command.ts'
import { mail } from './mail-command.ts'
import { merchants } from './merchants-command.ts'
import { migrateCommand } from './migrate-command.ts'
import { links, sites } from './operator-commands.ts'
import type { OperatorContext } from './operator-work.ts'
import { operators } from './operators-command.ts'
import { portalUsers } from './portal-users-command.ts'
import { products } from './products-command.ts'
import { queue } from './queue-command.ts'
import { recon } from './recon-command.ts'
import { restore } from './restore-command.ts'
import { retention } from './retention-command.ts'
import { settlement } from './settlement-command.ts'
import { threeDs } from './three-ds-command.ts'
import { createUsersCommand } from './users-command.ts'
import { vault } from './vault-command.ts'
import { verify } from './verify-command.ts'
import { webhooks } from './webhooks-command.ts'

/** The context of every command. */
export type CommandContext = OperatorContext & BooksContext

/** The commands beside `start`, `config`, `help` and `version`. A new one is a line here. */
export const COMMANDS: readonly Command<CommandContext>[] = [
  doctor,
  verify,
  recon,
  queue,
  migrateCommand,
  database,
  backup,
  restore,
  ids,
  audit,
  evidence,
  merchants,
  links,
  accounts,
  cardTesting,
  batches,
  fees,
  settlement,
  deposits,
  disputes,
  products,
  clock,
  sites,
  threeDs,
  createUsersCommand(() => text(process.stdin)),
  portalUsers,
  operators,
  keys,
  vault,
  retention,
  webhooks,
  mail,
]
