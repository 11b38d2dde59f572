import { testBank } from '@tollgate/portal-contract/routes/developer'
import { z } from 'zod'
import { shownMeaning } from '../../../domain/banks/test-bank.ts'
import { currencyByNumeric } from '../../../domain/currency.ts'
import { PAYMENT_PATH } from '../../../http/payment/pmt-service.ts'
import { PREPARE_PATH } from '../../../http/three-ds/prepare-service.ts'
import type { AuditEntry } from '../../../usecases/audit/audit-log.ts'
import type {
  BankRule,
  NewBankRule,
  TestBankPort,
} from '../../../usecases/banks/test-bank-views.ts'
import { ID } from '../../shell/ids.ts'
import { implement, notFound, PortalFault, type PortalRoute } from '../../shell/portal-route.ts'
import { portalUserActor, type PortalUser } from '../../shell/usecases/portal-user.ts'
import { curlCommand } from '../domain/curl.ts'
import { testRequestOf, testValueRows, type ParametersOf } from '../domain/test-value-rows.ts'
import type { FindDeveloperSites } from '../usecases/developer-site.ts'
import { siteOf } from './developer-sandbox.ts'

export interface DeveloperBankDeps {
  readonly parametersOf: ParametersOf
  readonly bank: TestBankPort
  /**
   * Whether an error of the bank's is that it said no, and not that it was not there; null for any
   * other error.
   */
  readonly bankRefused: (error: unknown) => boolean | null
  readonly findSites: FindDeveloperSites
  readonly audit: (entry: AuditEntry) => Promise<void>
}

const RULE = z.strictObject({
  site: ID,
  mti: z
    .string()
    .pipe(z.enum(['0100', '0200', '0220', '0420']))
    .nullable()
    .default(null),
  last4: z
    .string()
    .regex(/^\d{4}$/, 'expected four digits')
    .nullable()
    .default(null),
  /** Minor units. */
  amountMinor: z
    .string()
    .regex(/^\d{1,12}$/, 'expected an amount in minor units')
    .nullable()
    .default(null),
  count: z.number().int().min(1).max(1_000_000).nullable().default(null),
  action: z
    .object({ kind: z.string().max(40) })
    .catchall(z.union([z.string().max(20), z.number(), z.boolean()])),
})

/**
 * The bundled bank as its merchants see it: test values, accounts, and what it does wrong on
 * purpose.
 */
export function developerBank({
  bank,
  parametersOf,
  bankRefused,
  findSites,
  audit,
}: DeveloperBankDeps): readonly PortalRoute[] {
  const ask = async <Answer>(question: Promise<Answer>): Promise<Answer> => {
    try {
      return await question
    } catch (error) {
      const refused = bankRefused(error)
      if (refused === null) throw error
      throw new PortalFault(
        refused ? 400 : 409,
        refused ? 'refused' : 'bank_away',
        error instanceof Error ? error.message : '',
      )
    }
  }
  const merchantsOf = async (merchantId: bigint): Promise<readonly string[]> => [
    ...new Set(
      (await findSites(merchantId)).flatMap(({ acquirerMerchantIds }) => acquirerMerchantIds),
    ),
  ]
  const entryOf = (
    portalUser: PortalUser,
    address: string,
    operation: 'bank.fault_added' | 'bank.fault_removed',
    details: Record<string, string>,
  ): AuditEntry => ({
    actor: portalUserActor(portalUser),
    operation,
    object: 'test bank',
    merchantId: portalUser.merchantId,
    address,
    result: 'done',
    details,
  })
  return [
    implement(testBank.values, {
      handle: async () => ({ rows: testValueRows((await ask(bank.tables())).values) }),
    }),
    implement(testBank.request, {
      query: z.object({ site: ID, key: z.string().max(40) }),
      handle: async ({ portalUser, query }) => {
        const site = await siteOf(findSites, portalUser.merchantId, query.site)
        const request = testRequestOf((await ask(bank.tables())).values, query.key, parametersOf)
        if (request === null) throw notFound('test value with a request')
        const { prepares, parameters } = request
        return {
          curl: curlCommand(`BASE${prepares ? PREPARE_PATH : PAYMENT_PATH}`, {
            REQ_USERNAME: site.username === '' ? '[removed]' : site.username,
            REQ_PASSWORD: '[removed]',
            SITE_ID: String(site.id),
            REQUEST_API_VERSION: '4.14',
            REQUEST_RESPONSE_FORMAT: 'JSON',
            ...(prepares && site.accountId !== null
              ? { MERCH_ACCT_ID: String(site.accountId) }
              : {}),
            ...parameters,
          }),
        }
      },
    }),
    implement(testBank.accounts, {
      handle: async ({ portalUser }) => {
        const accounts = await ask(bank.accounts(await merchantsOf(portalUser.merchantId)))
        return {
          accounts: accounts.map((account) => ({
            ...account,
            meaning: shownMeaning(account.meaning),
            balances: account.balances.map(withCode),
          })),
        }
      },
    }),
    implement(testBank.statement, {
      query: z.object({
        account: z.string().regex(/^[0-9a-f]{8,64}$/, 'expected the id of an account'),
      }),
      handle: async ({ portalUser, query }) => ({
        lines: (
          await ask(bank.statement(query.account, await merchantsOf(portalUser.merchantId)))
        ).map(withCode),
      }),
    }),
    implement(testBank.faults, {
      handle: async ({ portalUser }) => {
        const [rules, merchants] = await Promise.all([
          ask(bank.rules()),
          merchantsOf(portalUser.merchantId),
        ])
        // Rules for another merchant are none of this one's; those for everybody are, but not to
        // take away.
        return {
          rules: rules
            .filter((rule) => isSeen(rule, merchants))
            .map((rule) => ({ ...rule, isOwn: isOwn(rule, merchants) })),
        }
      },
    }),
    implement(testBank.addFault, {
      body: RULE,
      handle: async ({ portalUser, address, body }) => {
        const [merchant] = (await siteOf(findSites, portalUser.merchantId, body.site))
          .acquirerMerchantIds
        if (merchant === undefined)
          throw new PortalFault(
            409,
            'no_account',
            'The site has no account at the test bank.',
            'site',
          )
        const rule: NewBankRule = {
          match: {
            merchant,
            ...(body.mti === null ? {} : { mti: body.mti }),
            ...(body.last4 === null ? {} : { last4: body.last4 }),
            ...(body.amountMinor === null
              ? {}
              : { amountFrom: body.amountMinor, amountTo: body.amountMinor }),
          },
          action: body.action,
          ...(body.count === null ? {} : { count: body.count }),
        }
        const added = await ask(bank.addRule(rule))
        await audit(
          entryOf(portalUser, address, 'bank.fault_added', { rule: JSON.stringify(added) }),
        )
        return { ...added, isOwn: true }
      },
    }),
    implement(testBank.removeFault, {
      handle: async ({ portalUser, address, params }) => {
        const [rules, merchants] = await Promise.all([
          ask(bank.rules()),
          merchantsOf(portalUser.merchantId),
        ])
        const rule = rules.find(({ id }) => String(id) === params.id)
        if (rule === undefined || !isOwn(rule, merchants)) throw notFound('rule')
        await ask(bank.removeRule(rule.id))
        await audit(
          entryOf(portalUser, address, 'bank.fault_removed', { rule: JSON.stringify(rule) }),
        )
        return { done: true }
      },
    }),
  ]
}

function isOwn({ match }: BankRule, merchants: readonly string[]): boolean {
  return match['merchant'] !== undefined && merchants.includes(match['merchant'])
}

function isSeen(rule: BankRule, merchants: readonly string[]): boolean {
  return rule.match['merchant'] === undefined || isOwn(rule, merchants)
}

/** With the alphabetic code of its currency, where it is a known one. */
function withCode<Row extends { readonly currency: string }>(row: Row): Row {
  return { ...row, currency: currencyByNumeric(row.currency)?.code ?? row.currency }
}
