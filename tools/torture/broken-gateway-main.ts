import { runWorker } from '@tollgate/gateway/worker'
import { breakGatewayRule } from './broken-gateway-rules.ts'

// A gateway worker that breaks the rule that TORTURE_BREAKS names.
runWorker(process.env, breakGatewayRule(process.env['TORTURE_BREAKS'] ?? '', process.env))
