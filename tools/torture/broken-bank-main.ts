import { runBank } from '@tollgate/bank/run'
import { breakBankRule } from './broken-bank-rules.ts'

// The bank, breaking the rule that TORTURE_BREAKS names.
await runBank(process.env, breakBankRule(process.env['TORTURE_BREAKS'] ?? ''))
