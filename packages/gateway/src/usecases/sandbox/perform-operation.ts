import { refused } from '../../base/refusal.ts'
import type { SandboxOperation } from '../../domain/sandbox/sandbox-operation.ts'
import type { AuditAuthor, AuditEntry } from '../audit/audit-log.ts'
import type { Site } from '../merchants/merchant-directory.ts'
import { moveDispute, openDispute } from './dispute-operations.ts'
import { chargeMembership, expireAuthorization } from './due-operations.ts'
import type { OperationDeps, OperationResult } from './operation-ports.ts'
import { closeBatch, reject, settle } from './settlement-operations.ts'

/** Has the bank, an issuer or time do something at a test site at once. */
export type PerformOperation = (
  site: Site,
  asked: SandboxOperation,
  by: AuditAuthor,
) => Promise<OperationResult>

/** @param audit records each operation that was done */
export function createPerformOperation(
  deps: OperationDeps,
  audit: (entry: AuditEntry) => Promise<void>,
): PerformOperation {
  return async (site, asked, by) => {
    if (site.mode !== 'test') {
      const fault = `Site ${site.id} is in live mode. These operations are for test sites only.`
      return refused('forbidden', fault, { code: 'live_site' })
    }
    const result = await perform(deps, site, asked, by)
    if (result.ok) {
      const { operation, ...about } = asked
      const details = Object.entries(about).filter(([name]) => name.endsWith('Id'))
      await audit({
        ...by,
        operation: 'sandbox.operated',
        object: `site ${site.id}`,
        merchantId: site.merchantId,
        result: 'done',
        details: {
          operation,
          ...Object.fromEntries(details.map(([name, id]) => [name, String(id)])),
        },
      })
    }
    return result
  }
}

function perform(
  deps: OperationDeps,
  site: Site,
  asked: SandboxOperation,
  by: AuditAuthor,
): Promise<OperationResult> {
  switch (asked.operation) {
    case 'close-batch':
      return closeBatch(deps, site, asked.accountId, by)
    case 'settle':
      return settle(deps, site, asked.accountId, by)
    case 'reject':
      return reject(deps, site, asked.transactionId)
    case 'dispute':
      return openDispute(deps, site, asked)
    case 'report-fraud':
      return openDispute(deps, site, { ...asked, event: 'fraud_report', reason: null })
    case 'answer-dispute':
    case 'decide-dispute':
    case 'win-dispute':
    case 'lose-dispute':
      return moveDispute(deps, site, asked, by)
    case 'expire-authorization':
      return expireAuthorization(deps, site, asked.orderId)
    case 'charge-membership':
      return chargeMembership(deps, site, asked)
  }
}
