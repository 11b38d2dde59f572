-- The glossary's words for two names: account updates, and what a portal user requested of a
-- membership. Names only; the locks of a rename are exclusive and end with the migration.

alter table card_news rename to account_updates;
alter table account_updates rename constraint card_news_pkey to account_updates_pkey;
alter table account_updates
  rename constraint card_news_update_result_check to account_updates_update_result_check;

alter table membership_operations rename column wish to request;
