-- Due advices are taken from each merchant in turn, so their index begins with the merchant. It
-- holds queued advices only, so it is small; building it reads `advices` once, under a lock that
-- makes writers wait.

create index advices_due_by_merchant on advices (merchant_id, next_try_at) where state = 'queued';
drop index advices_due;
