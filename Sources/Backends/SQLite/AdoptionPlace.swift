import Gatefold

/// Where an adopted reader is written: an identifier says whose row it is only together with where the reader comes from.
///
/// | there is | then |
/// | --- | --- |
/// | nobody | a new row |
/// | the operator's row | nothing: it is left alone |
/// | a row that a reader registered | the same: that its identifier is theirs was never shown |
/// | the same reader of the same system | that row, under the same number |
/// | another reader of the same system | a new row in its place: the identifier is theirs now |
/// | a reader whose system was not kept | the same |
/// | a reader of another system | nothing: it is left alone |
///
/// A password that a reader chose by themselves in this database stays; all else is what the other system says.
///
/// A new row has a new number, so a token of the person before is nobody's.
enum AdoptionPlace: Sendable, Equatable {
    case newRow
    case sameRow(Int64)
    case inPlaceOf(Int64)
    case operators
    case others(backend: String)

    /// A row that is there.
    struct Present: Sendable {
        let id: Int64
        let isAdopted: Bool
        let origin: AdoptionOrigin?
    }

    init(for origins: [AdoptionOrigin], present: Present?) {
        guard let present else {
            self = .newRow
            return
        }
        guard present.isAdopted else {
            self = .operators
            return
        }
        guard let kept = present.origin else {
            self = .inPlaceOf(present.id)
            return
        }
        if origins.contains(kept) {
            self = .sameRow(present.id)
        } else if origins.contains(where: { $0.backend == kept.backend }) {
            self = .inPlaceOf(present.id)
        } else {
            self = .others(backend: kept.backend)
        }
    }
}

extension SubscriberRecord {
    var adoptionPlace: AdoptionPlace.Present {
        AdoptionPlace.Present(id: id, isAdopted: adopted != nil, origin: origin)
    }
}
