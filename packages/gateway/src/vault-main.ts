import { runVaultProcess } from './wiring/vault-process.ts'

runVaultProcess(process.env)
