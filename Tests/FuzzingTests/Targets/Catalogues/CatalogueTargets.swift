import Foundation
import Gatefold

@testable import Catalogues

extension FuzzTarget {
    static let atomCatalogue = FuzzTarget("atom-catalogue", upTo: 2048, of: "AtomFeed", "AtomEntry", "EditionItem") {
        bytes in
        var reader = CatalogueReader()
        guard
            (try? AtomFeed(content: content).read(bytes, from: "https://h.example/feed", known: known, into: &reader))
                != nil
        else { return }
        check(reader.finish(nil))
    }

    static let bakerCatalogue = FuzzTarget("baker-catalogue", upTo: 2048, of: "BakerShelf", "ContentPrefix") { bytes in
        var reader = CatalogueReader()
        let shelf = BakerShelf(content: content, address: "https://h.example/daily/shelf.json")
        guard (try? shelf.read(bytes, into: &reader)) != nil else { return }
        check(reader.finish(nil))
    }

    /// Checks that every file in a catalogue is below the publication's own content.
    private static func check(_ reading: CatalogueReading) {
        for edition in reading.editions {
            guard let file = edition.file else { continue }
            let names = file.utf8.split(separator: 0x2F, omittingEmptySubsequences: false).map { String($0) ?? ".." }
            promise(names.allSatisfy { !["", ".", ".."].contains($0) }, "a file of an edition is outside its folder")
        }
    }

    private static let content = ContentPrefix("https://h.example/daily/")
    private static let known = Catalogue([
        Edition(id: FuzzedTenant.edition, title: "One", published: FuzzedTenant.now.addingTimeInterval(-3600))
    ])
}
