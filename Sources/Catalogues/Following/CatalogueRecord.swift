import Foundation
import Gatefold

/// The record of a publication's catalogue that survives a restart.
struct CatalogueRecord: Sendable, Equatable {
    /// The fingerprint of the source's settings; nil for a catalogue of the configuration.
    var fingerprint: [UInt8]?
    /// The time at which the source last returned these editions or confirmed them.
    var confirmedAt: Date?
    var validators: CatalogueValidators?
    /// The editions; nil before the first good catalogue, and if the configuration holds them.
    var editions: [Edition]?
    /// The editions that were ever offered, in order of announcement; nil before the first catalogue.
    var announced: [EditionID]?
}

extension CatalogueRecord: Codable {
    private enum Key: String, CodingKey { case version, fingerprint, confirmedAt, validators, editions, announced }

    /// The version of the file format. A file of another version is ignored.
    static let version = 1

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        guard try values.decode(Int.self, forKey: .version) == Self.version else {
            throw DecodingError.dataCorruptedError(forKey: .version, in: values, debugDescription: "another version")
        }
        fingerprint = try values.decodeIfPresent([UInt8].self, forKey: .fingerprint)
        confirmedAt = try values.decodeIfPresent(Int64.self, forKey: .confirmedAt).map { Date(milliseconds: $0) }
        validators = try values.decodeIfPresent(CatalogueValidators.self, forKey: .validators)
        editions = try values.decodeIfPresent([EncodedEdition].self, forKey: .editions)?.map { try $0.edition }
        announced = try values.decodeIfPresent([String].self, forKey: .announced)?.compactMap { EditionID($0) }
    }

    func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Key.self)
        try values.encode(Self.version, forKey: .version)
        try values.encodeIfPresent(fingerprint, forKey: .fingerprint)
        try values.encodeIfPresent(confirmedAt?.milliseconds, forKey: .confirmedAt)
        try values.encodeIfPresent(validators, forKey: .validators)
        try values.encodeIfPresent(editions?.map { EncodedEdition($0) }, forKey: .editions)
        try values.encodeIfPresent(announced?.map(\.rawValue), forKey: .announced)
    }
}

/// The file format of an edition. Times are milliseconds since 1970.
private struct EncodedEdition: Codable {
    struct Line: Codable {
        let pages: String
        let text: String
    }

    let id: String
    let title: String
    let published: Int64
    let free: Bool
    let draft: Bool
    let withdrawn: Int64?
    let product: String?
    let file: String?
    let summary: String?
    let author: String?
    let cover: String?
    let sample: String?
    let previews: [String]
    let categories: [String]
    let contents: [Line]
    let updated: Int64?

    init(_ edition: Edition) {
        id = edition.id.rawValue
        title = edition.title
        published = edition.published.milliseconds
        free = edition.isFree
        draft = edition.isDraft
        withdrawn = edition.withdrawn?.milliseconds
        product = edition.product
        file = edition.file
        summary = edition.details.summary
        author = edition.details.author
        cover = edition.details.cover
        sample = edition.details.sample
        previews = edition.details.previews
        categories = edition.details.categories
        contents = edition.details.contents.map { Line(pages: $0.pages, text: $0.text) }
        updated = edition.details.updated?.milliseconds
    }

    var edition: Edition {
        get throws {
            guard let id = EditionID(id) else {
                throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "not an edition"))
            }
            return Edition(
                id: id, title: title, published: Date(milliseconds: published), isFree: free, isDraft: draft,
                withdrawn: withdrawn.map { Date(milliseconds: $0) }, product: product, file: file,
                details: EditionDetails(
                    summary: summary, author: author, cover: cover, sample: sample, previews: previews,
                    categories: categories, contents: contents.map { .init(pages: $0.pages, text: $0.text) },
                    updated: updated.map { Date(milliseconds: $0) }))
        }
    }
}

extension Date {
    fileprivate init(milliseconds: Int64) { self.init(timeIntervalSince1970: Double(milliseconds) / 1000) }

    fileprivate var milliseconds: Int64 { Int64((timeIntervalSince1970 * 1000).rounded()) }
}
