import Foundation
import Gatefold
import TestSupport
import Testing

@Suite("Catalogue")
struct CatalogueTests {
    static let catalogue = Catalogue([
        Edition(id: .first, title: "One", published: .after(-300)),
        Edition(id: .third, title: "Three", published: .after(100)),
        Edition(id: .second, title: "Two", published: .after(-200), isFree: true),
        Edition(id: .first, title: "One again", published: .after(0)),
    ])

    @Test("Drafts and future editions are neither published nor free")
    func out() {
        let (draft, later) = (EditionID("draft")!, EditionID("later")!)
        let catalogue = Catalogue([
            Edition(id: draft, title: "Draft", published: .after(0), isFree: true, isDraft: true),
            Edition(id: later, title: "Later", published: .after(100), isFree: true),
        ])
        #expect(!catalogue.isPublished(draft, at: .after(200)) && !catalogue.isFree(draft, at: .after(200)))
        #expect(!catalogue.isPublished(later, at: .after(99)) && !catalogue.isFree(later, at: .after(99)))
        #expect(catalogue.isPublished(later, at: .after(100)) && catalogue.isFree(later, at: .after(100)))
        #expect(Catalogue().isPublished(later, at: .after(0)) && !Catalogue().isFree(later, at: .after(0)))
    }

    @Test("A pending catalogue contains no edition; an absent catalogue excludes none")
    func pending() {
        let pending = Catalogue.pending
        #expect(pending.isPending && pending != Catalogue() && pending.editions.isEmpty)
        #expect(pending.edition(storeProductID: "com.example.1") == nil && !pending.mayContain(.first))
        #expect(!pending.isPublished(.first, at: .after(0)) && !pending.isFree(.first, at: .after(0)))
        #expect(pending.archive(of: .first, at: .after(0)) == nil)
        let none = Catalogue()
        #expect(
            !none.isPending && none.mayContain(.first)
                && none.edition(storeProductID: EditionID.first.rawValue) == .first)
        #expect(none.archive(of: .first, at: .after(0))?.file == .some(nil))
    }

    @Test("Sorts editions newest first and keeps the first of two with the same identifier")
    func order() {
        #expect(Self.catalogue.editions.map(\.title) == ["Three", "Two", "One"])
        #expect(Self.catalogue[.first]?.title == "One")
        #expect(Self.catalogue[EditionID("other")!] == nil)
        #expect(Self.catalogue.freeEditions == [.second])
    }

    @Test("Future editions are not among the newest")
    func newest() {
        #expect(Self.catalogue.newest(1, at: .after(0)) == [.second])
        #expect(Self.catalogue.newest(1, at: .after(100)) == [.third])
        #expect(Self.catalogue.newest(9, at: .after(0)) == [.first, .second])
        #expect(Self.catalogue.newest(-1, at: .after(0)) == [])
    }

    @Test("Returns the editions published just before a given one")
    func previous() {
        #expect(Self.catalogue.previous(1, before: .third) == [.second])
        #expect(Self.catalogue.previous(5, before: .third) == [.first, .second])
        #expect(Self.catalogue.previous(1, before: .first) == [])
        #expect(Self.catalogue.previous(1, before: EditionID("other")!) == [])
        #expect(Self.catalogue.previous(-1, before: .third) == [])
    }

    private func published(from start: TimeInterval, to end: TimeInterval?, by timestamp: TimeInterval) -> Set<
        EditionID
    > {
        Self.catalogue.published(
            during: Period(start: .after(start), end: end.map { .after($0) }), by: .after(timestamp))
    }

    @Test("Both ends of a period are inclusive")
    func periods() {
        #expect(published(from: -300, to: -200, by: 200) == [.first, .second])
        #expect(published(from: -299, to: -201, by: 200) == [])
        #expect(published(from: -200, to: nil, by: 200) == [.second, .third])
        #expect(published(from: 9, to: -9, by: 200) == [])
    }

    @Test("Excludes future editions from a period that is still running")
    func futureInPeriods() {
        #expect(published(from: -200, to: nil, by: 0) == [.second])
        #expect(published(from: -200, to: nil, by: 100) == [.second, .third])
    }
}
