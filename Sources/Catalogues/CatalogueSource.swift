package import Gatefold

/// Where a publication's catalogue comes from, when it does not stand in the configuration.
package protocol CatalogueSource: Sendable {
    /// Asks for the whole catalogue.
    ///
    /// - Parameter known: what there is already.
    /// - Throws: ``CatalogueFailure`` or another `BackendFailure` when it could not be asked or its answer is none, and
    ///   `CancellationError`.
    func fetch(after known: KnownCatalogue) async throws -> CatalogueAnswer
}

/// What was last fetched from the same source.
package struct KnownCatalogue: Sendable {
    /// Nil for nothing.
    package var validators: CatalogueValidators?
    /// A source that only tells that an edition was withdrawn has the rest of it from here.
    package var catalogue: Catalogue

    package init(validators: CatalogueValidators? = nil, catalogue: Catalogue = Catalogue()) {
        self.validators = validators
        self.catalogue = catalogue
    }
}

/// What identifies an answer of a source, so that it can be asked for what is newer.
package struct CatalogueValidators: Sendable, Equatable, Codable {
    package var tag: String?
    package var modified: String?

    package init(tag: String? = nil, modified: String? = nil) {
        self.tag = tag
        self.modified = modified
    }
}

package enum CatalogueAnswer: Sendable, Equatable {
    /// The source still has what is known.
    case unchanged
    case read(CatalogueReading)
}

/// What a source's answer says.
package struct CatalogueReading: Sendable, Equatable {
    package var editions: [Edition]
    /// Of the items that could not be read.
    package var problems: [CatalogueProblem]
    /// Those of the editions whose items could not be read: they are as they were known before, or else not out.
    package var unread: Set<EditionID> = []
    /// Nil when the next fetch has to be of everything.
    package var validators: CatalogueValidators?

    package init(
        editions: [Edition] = [], problems: [CatalogueProblem] = [], validators: CatalogueValidators? = nil
    ) {
        self.editions = editions
        self.problems = problems
        self.validators = validators
    }
}

/// Why one item of a catalogue is no edition; quotes nothing of it.
package struct CatalogueProblem: Sendable, Equatable, CustomStringConvertible {
    /// Counted from one, in the order of the answer.
    package let position: Int
    package let reason: String

    package var description: String { "item \(position): \(reason)" }
}

/// Why a catalogue could not be had. Holds no URL, header or content: any of them may hold a credential.
package enum CatalogueFailure: BackendFailure, Equatable {
    case status(Int)
    case notADocument(String)
    case unreadableFile
    case tooLarge(limit: Int)
    case tooManyEditions
    case tooManyPages(limit: Int)
    case strayPage
    case missingColumn(String)
    case severalColumns(String)
    case query(String)
    case timedOut

    package var cause: String {
        switch self {
        case .status(let status): "the source answered with status \(status)"
        case .notADocument(let what): "the source's answer is not \(what)"
        case .unreadableFile: "the source's file can not be read"
        case .tooLarge(let limit): "the source's file is larger than \(limit) bytes"
        case .tooManyEditions: "the source has more than \(CatalogueReader.mostItems) items"
        case .tooManyPages(let limit): "the source's feed has more than \(limit) pages, or pages that lead in a circle"
        case .strayPage: "the source's feed goes on at another host, or at what is no address"
        case .missingColumn(let name): "the query's answer has no column `\(name)`"
        case .severalColumns(let name): "the query's answer has several columns `\(name)`"
        case .query(let cause): "the query failed: \(cause)"
        case .timedOut: "the source did not answer in time"
        }
    }
}
