export * from '@tollgate/kernel/service-codes'
