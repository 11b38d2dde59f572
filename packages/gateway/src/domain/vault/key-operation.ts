import { holdsCardNumber } from '../../base/card-number-text.ts'

/** An operation on keys or on all cards that needs two operators in production. */
export type KeyOperation =
  | {
      readonly does: 'destroy_key'
      readonly keyId: number
      /** Cards that become unreadable for ever. */
      readonly unreadable: number
    }
  /** `to` is the id of the key-encrypting key that wraps from then on. */
  | { readonly does: 'replace_kek'; readonly to: string }
  /** `keyName` names the key that the file is encrypted under: its holder can read every card. */
  | { readonly does: 'export_vault'; readonly keyName: string }

/** The reason for which a command may do it. */
export type KeyAuthority =
  | { readonly kind: 'sandbox' }
  | { readonly kind: 'two operators' }
  /** The reason stays in the audit log. */
  | { readonly kind: 'emergency'; readonly reason: string }

/** The newest approved request about the same subject. */
export interface KeyApproval {
  readonly operation: KeyOperation
  /** E-mail addresses. */
  readonly requestedBy: string
  readonly approvedBy: string
  /** Whether one of the two was disabled meanwhile. */
  readonly isDisowned: boolean
  /** Whether the request is older than 24 hours. */
  readonly isOver: boolean
  readonly isUsed: boolean
}

/** The subject of an operation: there is one open request for it at a time. */
export function keySubject(operation: KeyOperation): string {
  switch (operation.does) {
    case 'destroy_key':
      return `data key ${operation.keyId}`
    case 'replace_kek':
      return 'key-encrypting key'
    case 'export_vault':
      return 'payment methods'
  }
}

/** An operation in the words of a request. */
export function describeKeyOperation(operation: KeyOperation): string {
  switch (operation.does) {
    case 'destroy_key': {
      const { keyId, unreadable } = operation
      return `Destroy data key ${keyId}, with ${unreadable} unreadable cards`
    }
    case 'replace_kek':
      return `Replace the key-encrypting key by ${operation.to}`
    case 'export_vault':
      return `Export all saved cards under the key ${operation.keyName}`
  }
}

/** Why an approval does not cover an operation, a sentence; null where it does. */
export function decideKeyOperation(
  operation: KeyOperation,
  approval: KeyApproval | null,
): string | null {
  const found = approvalFault(operation, approval)
  if (found === null) return null
  return (
    `In production this needs two operators, and ${found}. ` +
    `On the page Requests of the console, request "${describeKeyOperation(operation)}". ` +
    'Have another operator approve it, and run the command again within 24 hours of the request. ' +
    'In an emergency, add --emergency "<reason>".'
  )
}

function approvalFault(operation: KeyOperation, approval: KeyApproval | null): string | null {
  if (approval === null) return 'there is no approved request for it'
  if (approval.isUsed) return 'the last approved request was used already'
  if (approval.isOver) return 'the approved request expired after 24 hours'
  if (approval.isDisowned) return 'an operator of the approved request is disabled'
  const approved = describeKeyOperation(approval.operation)
  return approved === describeKeyOperation(operation)
    ? null
    : `the approved request is "${approved}"`
}

/** Why this is no reason for an emergency; null where it is one. */
export function emergencyFault(reason: string): string | null {
  if (holdsCardNumber(reason, 'digits')) {
    return 'The reason of --emergency has 12 digits in a row, which could be a card number.'
  }
  return /^[^\p{C}]{10,200}$/u.test(reason)
    ? null
    : '--emergency must have a reason of 10 to 200 characters, which stays in the audit log.'
}
