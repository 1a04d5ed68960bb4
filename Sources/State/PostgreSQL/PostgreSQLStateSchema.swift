import Accounts

/// The tables of the state in PostgreSQL, made from those of the embedded store.
///
/// Tables that nodes follow have the column `xid` besides, with the transaction that inserted the row. A migration never
/// changes once a release has it, which its checksum in the database shows, see ``SchemaMigration``.
enum PostgreSQLStateSchema {
    static let migrations = [
        SchemaMigration(number: 1, name: "state", sql: state),
        SchemaMigration(
            number: 2, name: "nodes", sql: PostgreSQLTables.translated(StateSchema.counters, StateSchema.nodes)),
        SchemaMigration(
            number: 3, name: "compatibility", compatibleSince: 3,
            sql: PostgreSQLTables.translated(SchemaCompatibility.table)),
        SchemaMigration(
            number: 4, name: "node URLs", compatibleSince: 3, sql: PostgreSQLTables.translated(StateSchema.nodeURLs)),
        SchemaMigration(
            number: 5, name: "documents", compatibleSince: 3, sql: PostgreSQLTables.translated(StateSchema.documents)),
        SchemaMigration(
            number: 6, name: "mail", compatibleSince: 3, sql: PostgreSQLTables.translated(StateSchema.mail)),
        SchemaMigration(
            number: 7, name: "audit", compatibleSince: 3,
            sql: PostgreSQLTables.translated(StateSchema.audit) + auditTriggers),
        SchemaMigration(
            number: 8, name: "timeline", compatibleSince: 3, sql: PostgreSQLTables.translated(StateSchema.timeline)),
        SchemaMigration(
            number: 9, name: "administration", compatibleSince: 3,
            sql: PostgreSQLTables.translated(StateSchema.administration)),
    ]

    /// The counterpart of ``StateSchema/auditTriggers``.
    ///
    /// A number that another transaction has taken meanwhile is a conflict, after which a store makes its transaction again.
    private static let auditTriggers = """
        CREATE FUNCTION check_audit_sequence() RETURNS trigger LANGUAGE plpgsql AS $body$
        DECLARE
            last bigint;
            copying boolean;
        BEGIN
            EXECUTE format('SELECT max(sequence) FROM %I.audit_entry', TG_TABLE_SCHEMA) INTO last;
            IF NEW.sequence - 1 IS DISTINCT FROM coalesce(last, 0) THEN
                EXECUTE format('SELECT EXISTS (SELECT 1 FROM %I.lease WHERE name = %L)', TG_TABLE_SCHEMA,
                    'unfinished copy') INTO copying;
                IF NOT copying THEN
                    RAISE EXCEPTION 'an entry of the audit log follows the last one'
                        USING ERRCODE = CASE WHEN NEW.sequence BETWEEN 1 AND last THEN '23505' ELSE '55000' END;
                END IF;
            END IF;
            RETURN NEW;
        END $body$;
        CREATE TRIGGER audit_entry_follows BEFORE INSERT ON audit_entry
            FOR EACH ROW EXECUTE FUNCTION check_audit_sequence();
        CREATE FUNCTION reject_audit_change() RETURNS trigger LANGUAGE plpgsql AS $body$
        BEGIN
            RAISE EXCEPTION 'entries of the audit log are never changed or deleted' USING ERRCODE = '55000';
        END $body$;
        CREATE TRIGGER audit_entry_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_entry
            FOR EACH STATEMENT EXECUTE FUNCTION reject_audit_change();
        """

    private static let state =
        PostgreSQLTables.translated(
            StateSchema.sessions, StateSchema.receipts, StateSchema.purchases, StateSchema.deliveries,
            StateSchema.push, StateSchema.accounts, StateSchema.generations, StateSchema.pinCodes,
            StateSchema.sharedFacts, StateSchema.retention, StateSchema.leases
        ) + """
            ALTER TABLE item_number ALTER COLUMN number RESTART WITH \(SaleItem.firstAssigned);
            ALTER TABLE revocation ADD COLUMN xid xid8 NOT NULL DEFAULT pg_current_xact_id();
            CREATE INDEX revocation_xid ON revocation (xid, sequence);
            ALTER TABLE shared_fact ADD COLUMN xid xid8 NOT NULL DEFAULT pg_current_xact_id();
            CREATE INDEX shared_fact_xid ON shared_fact (xid, sequence);
            \(PostgreSQLTables.writeTokens)
            CREATE UNIQUE INDEX generation_single ON generation ((true));
            INSERT INTO generation (id) VALUES (decode(replace(gen_random_uuid()::text, '-', ''), 'hex'));

            """
}
