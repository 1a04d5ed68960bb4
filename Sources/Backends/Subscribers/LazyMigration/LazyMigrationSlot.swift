/// The row that a migrated reader is written to. An identifier names a reader only together with the system that
/// the reader comes from.
///
/// | existing row | action |
/// | --- | --- |
/// | none | insert a new row |
/// | the operator's row | none: the row is left unchanged |
/// | a row that a reader registered | none: nothing proved that the identifier belongs to that reader |
/// | the same reader of the same system | update the row, which retains its number |
/// | another reader of the same system | replace it by a new row: the identifier now belongs to the new reader |
/// | a reader whose system was not stored | replace it by a new row |
/// | a reader of another system | none: the row is left unchanged |
///
/// A password that the reader chose in this database stays. Everything else is replaced by the data of the other
/// system.
///
/// A new row has a new number, so tokens of the previous reader match no subscriber.
enum LazyMigrationSlot: Sendable, Equatable {
    case newRow
    case sameRow(Int64)
    case replacing(Int64)
    case ownedByOperator
    case others(backend: String)

    /// An existing row.
    struct ExistingRow: Sendable {
        let id: Int64
        let isMigrated: Bool
        let origin: LazyMigrationOrigin?
    }

    init(for origins: [LazyMigrationOrigin], present: ExistingRow?) {
        guard let present else {
            self = .newRow
            return
        }
        guard present.isMigrated else {
            self = .ownedByOperator
            return
        }
        guard let storedOrigin = present.origin else {
            self = .replacing(present.id)
            return
        }
        if origins.contains(storedOrigin) {
            self = .sameRow(present.id)
        } else if origins.contains(where: { $0.backend == storedOrigin.backend }) {
            self = .replacing(present.id)
        } else {
            self = .others(backend: storedOrigin.backend)
        }
    }
}

extension SubscriberRecord {
    var lazyMigrationSlot: LazyMigrationSlot.ExistingRow {
        LazyMigrationSlot.ExistingRow(id: id, isMigrated: migrated != nil, origin: origin)
    }
}
