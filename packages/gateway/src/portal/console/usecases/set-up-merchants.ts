import { refused, type Result } from '../../../base/refusal.ts'
import { noSuchMerchant } from '../../../domain/merchants/merchant-change.ts'
import type { NewSiteSettings } from '../../../domain/merchants/new-site.ts'
import { nameFault } from '../../../domain/merchants/site-settings.ts'
import type { NewMerchant } from '../../../usecases/merchants/administer-merchants.ts'
import { createChangeSiteSettings } from '../../../usecases/merchants/change-site-settings.ts'
import type { AccountDraft } from '../../../usecases/merchants/operator.ts'
import { createPutAccount } from '../../../usecases/merchants/put-account.ts'
import { createRenameAccount } from '../../../usecases/merchants/rename-account.ts'
import {
  cardTextFault,
  decideConsoleAccount,
  typedAccountFault,
  type TypedAccount,
} from '../domain/new-merchant-parts.ts'
import type { ConsoleRequester } from './console-operator.ts'
import { merchantUseCases, rightFault, within } from './operate-merchants.ts'
import type { ConsoleTx, OperatorsStore } from './operators-store.ts'

type Created = Result<{ readonly id: bigint }>

/**
 * Merchants, sites and accounts that operators create and rename at the console, by the rules of
 * the commands. The gateway chooses every id. None of it waits for a second operator: it changes
 * nothing that takes payments already.
 */
export interface SetUpMerchants {
  createMerchant(requester: ConsoleRequester, merchant: NewMerchant): Promise<Created>
  renameMerchant(requester: ConsoleRequester, id: bigint, name: string): Promise<Result>
  /** In test mode, without an account. */
  createSite(
    requester: ConsoleRequester,
    merchantId: bigint,
    site: Omit<NewSiteSettings, 'tolerance'>,
  ): Promise<Created>
  renameSite(requester: ConsoleRequester, id: bigint, name: string): Promise<Result>
  /** A live account is refused for a merchant that has a live site. */
  createAccount(
    requester: ConsoleRequester,
    merchantId: bigint,
    account: TypedAccount,
  ): Promise<Created>
  /** Changes the name that merchants see as PROC_NAME. */
  renameAccount(requester: ConsoleRequester, id: bigint, name: string): Promise<Result>
}

/** `readAccount`: reads the description of an account as the command does, from JSON text. */
export function createSetUpMerchants(
  { transact }: Pick<OperatorsStore, 'transact'>,
  readAccount: (text: string) => Result<{ readonly account: AccountDraft }>,
): SetUpMerchants {
  function allowed<Done>(
    requester: ConsoleRequester,
    work: (tx: ConsoleTx) => Promise<Result<Done>>,
  ): Promise<Result<Done>> {
    return transact(async (tx) => (await rightFault(tx, requester)) ?? work(tx))
  }

  return {
    createMerchant: (requester, { name, timeZone }) =>
      allowed<{ readonly id: bigint }>(requester, async (tx) => {
        const fault = cardTextFault({ name, timeZone })
        if (fault !== null) return fault
        return merchantUseCases(tx).merchants.create(null, { name, timeZone }, requester)
      }),

    renameMerchant: (requester, id, name) =>
      allowed(requester, (tx) => merchantUseCases(tx).merchants.rename(id, name, requester)),

    createSite: (requester, merchantId, site) =>
      allowed(requester, (tx) => {
        const wanted = { ...site, merchantId, tolerance: 'strict' } as const
        return merchantUseCases(tx).merchants.createSite(null, wanted, requester)
      }),

    renameSite: (requester, id, name) =>
      allowed<object>(requester, async (tx) => {
        const fault = nameFault(name)
        if (fault !== null) return refused('invalid', fault, { field: 'name' })
        const change = createChangeSiteSettings(within(tx.sites))
        return change(id, { name }, {}, requester)
      }),

    createAccount: (requester, merchantId, typed) =>
      allowed<{ readonly id: bigint }>(requester, async (tx) => {
        const fault = typedAccountFault(typed)
        if (fault !== null) return fault
        // The true ids take the place of these.
        const read = readAccount(JSON.stringify({ ...typed, id: 1, merchantId: 1 }))
        if (!read.ok) return read
        // Before the table of accounts: a change of one holds the merchant before it writes.
        if ((await tx.fees.lockMerchant(merchantId)) === null) return noSuchMerchant(merchantId)
        const refusal = decideConsoleAccount(typed.mode, await tx.countLiveSites(merchantId))
        if (refusal !== null) return refusal
        const id = await tx.nextAccountId()
        const account = { ...read.account, id, merchantId: Number(merchantId) }
        const put = await createPutAccount(within(tx.accounts))(account, requester)
        return put.ok ? { ok: true, id: BigInt(id) } : put
      }),

    renameAccount: (requester, id, name) =>
      allowed(requester, (tx) =>
        createRenameAccount(within(tx.accounts))(Number(id), name, requester),
      ),
  }
}
