export * from '@tollgate/kernel/currency'
