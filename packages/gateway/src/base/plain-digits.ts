export * from '@tollgate/kernel/plain-digits'
