package import Gatefold
import Primitives

/// A source of a publication's catalogue outside the configuration.
package protocol CatalogueSource: Sendable {
    /// Fetches the whole catalogue.
    ///
    /// - Parameter known: The state of the last fetch.
    /// - Throws: ``CatalogueFailure`` or another `BackendFailure` when the source could not be queried or its
    ///   response is unusable, and `CancellationError`.
    func fetch(after known: KnownCatalogue) async throws -> CatalogueResult
}

/// The result of the last fetch from the same source.
package struct KnownCatalogue: Sendable {
    /// The validators of the last response; nil if there is none.
    package var validators: CatalogueValidators?
    /// The known editions. A source that reports only the withdrawal of an edition takes its other fields from
    /// here.
    package var catalogue: Catalogue

    package init(validators: CatalogueValidators? = nil, catalogue: Catalogue = Catalogue()) {
        self.validators = validators
        self.catalogue = catalogue
    }
}

/// The validators of a response, for a conditional request.
package struct CatalogueValidators: Sendable, Equatable, Codable {
    package var tag: String?
    package var modified: String?

    package init(tag: String? = nil, modified: String? = nil) {
        self.tag = tag
        self.modified = modified
    }
}

package enum CatalogueResult: Sendable, Equatable {
    /// The source still has the known catalogue.
    case unchanged
    case read(CatalogueReading)
}

/// The content of a source's response.
package struct CatalogueReading: Sendable, Equatable {
    package var editions: [Edition]
    /// The problems of the unreadable items.
    package var problems: [CatalogueProblem]
    /// The editions whose items are unreadable. They appear as they were known before, or otherwise as drafts.
    package var unreadableEditions: Set<EditionID> = []
    /// The validators of the response; nil if the next fetch must be unconditional.
    package var validators: CatalogueValidators?

    package init(
        editions: [Edition] = [], problems: [CatalogueProblem] = [], validators: CatalogueValidators? = nil
    ) {
        self.editions = editions
        self.problems = problems
        self.validators = validators
    }
}

/// The reason that an item of a catalogue is not an edition. It quotes nothing of the item.
package struct CatalogueProblem: Sendable, Equatable, CustomStringConvertible {
    /// The position of the item in the response, starting at 1.
    package let position: Int
    package let reason: String

    package var description: String { "item \(position): \(reason)" }
}

/// The reason that a catalogue is unavailable. It holds no URL, header or content, because each of them may contain
/// a credential.
package enum CatalogueFailure: BackendFailure, Equatable {
    case status(Int)
    case notADocument(String)
    case unreadableFile
    case tooLarge(limit: Int)
    case tooManyEditions
    case tooManyPages(limit: Int)
    case foreignPage
    case missingColumn(String)
    case severalColumns(String)
    case query(String)
    case timedOut

    package var cause: String {
        switch self {
        case .status(let status): "the source responded with status \(status)"
        case .notADocument(let what): "the source's response is not \(what)"
        case .unreadableFile: "the source's file cannot be read"
        case .tooLarge(let limit): "the source's file is larger than \(limit) bytes"
        case .tooManyEditions: "the source has more than \(CatalogueReader.maxItems) items"
        case .tooManyPages(let limit): "the source's feed has more than \(limit) pages, or pages that form a loop"
        case .foreignPage: "the source's feed continues at another host, or at an invalid address"
        case .missingColumn(let name): "the query's result has no column `\(name)`"
        case .severalColumns(let name): "the query's result has several columns `\(name)`"
        case .query(let cause): "the query failed: \(cause)"
        case .timedOut: "the source did not respond in time"
        }
    }
}
