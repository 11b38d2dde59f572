export * from '@tollgate/kernel/verification'
