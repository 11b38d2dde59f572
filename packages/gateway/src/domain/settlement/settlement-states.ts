import { defineStates } from '../states.ts'

export const SETTLEMENT_FILE_STATES = defineStates({
  staging: {
    meaning: 'Lines are being stored. Nothing of the file counts yet.',
    start: 'A file that is whole and the next one of its source came.',
    next: { booked: 'All lines were matched and posted, in one transaction.' },
  },
  booked: {
    meaning: 'All lines are in the ledger. They never change.',
    start: null,
    next: {},
  },
})

export const SETTLED_TRANSACTION_STATES = defineStates({
  settled: {
    meaning: 'A line of a file settles the capture or refund.',
    start: 'A file with a line for the transaction was booked.',
    next: {},
  },
  rejected: {
    meaning: 'The acquirer rejected the capture, and no money comes. Its revenue is reversed.',
    start: 'A file with a reject for the transaction was booked.',
    next: {},
  },
})

export const PAYOUT_STATES = defineStates({
  announced: {
    meaning: 'A file announces the deposit. The bank statement does not have it yet.',
    start: 'A file with the line of the payout was booked.',
    next: {
      deposited: 'A bank statement has the deposit.',
      returned: 'The bank sent the deposit back to the acquirer.',
    },
  },
  deposited: {
    meaning: "The deposit is in the merchant's bank account.",
    start: null,
    next: { returned: 'The bank sent the deposit back to the acquirer.' },
  },
  returned: { meaning: 'The deposit went back to the acquirer.', start: null, next: {} },
})

export const DIFFERENCE_STATES = defineStates({
  open: {
    meaning: 'The file and this side differ, and it is not explained yet.',
    start: 'A file was booked, or a deadline passed.',
    next: { ended: 'A later file explains it, or a portal user or an operator ended it.' },
  },
  ended: {
    meaning: 'The difference is explained. Its end states how.',
    start: null,
    next: {},
  },
})

export const BANK_ENTRY_STATES = defineStates({
  other: {
    meaning: 'Other business of the merchant: the entry names no acquirer. Nothing is booked.',
    start: 'A bank statement was imported.',
    next: {},
  },
  repeated: {
    meaning: 'An earlier statement has the entry. It counts there.',
    start: 'A bank statement was imported.',
    next: {},
  },
  unknown: {
    meaning: 'The entry names an acquirer, and no payout fits. Its money is in suspense.',
    start: 'A bank statement was imported.',
    next: { matched: 'A payout fits, at once, by a later file, or by the choice of an operator.' },
  },
  matched: {
    meaning: 'The entry pays payouts, completes one, or takes one back.',
    start: null,
    next: {},
  },
})
