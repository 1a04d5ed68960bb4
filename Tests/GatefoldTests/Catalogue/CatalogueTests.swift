import Foundation
import Gatefold
import TestSupport
import Testing

@Suite("A catalogue")
struct CatalogueTests {
    static let catalogue = Catalogue([
        Edition(id: .first, title: "One", published: .after(-300)),
        Edition(id: .third, title: "Three", published: .after(100)),
        Edition(id: .second, title: "Two", published: .after(-200), isFree: true),
        Edition(id: .first, title: "One again", published: .after(0)),
    ])

    @Test("a draft and an edition of the future are not out, and not free however they are marked")
    func out() {
        let (draft, later) = (EditionID("draft")!, EditionID("later")!)
        let catalogue = Catalogue([
            Edition(id: draft, title: "Draft", published: .after(0), isFree: true, isDraft: true),
            Edition(id: later, title: "Later", published: .after(100), isFree: true),
        ])
        #expect(!catalogue.isOut(draft, at: .after(200)) && !catalogue.isFree(draft, at: .after(200)))
        #expect(!catalogue.isOut(later, at: .after(99)) && !catalogue.isFree(later, at: .after(99)))
        #expect(catalogue.isOut(later, at: .after(100)) && catalogue.isFree(later, at: .after(100)))
        #expect(Catalogue().isOut(later, at: .after(0)) && !Catalogue().isFree(later, at: .after(0)))
    }

    @Test("that is awaited says nothing of any edition, and one that is not there says nothing against any")
    func awaited() {
        let awaited = Catalogue.awaited
        #expect(awaited.isAwaited && awaited != Catalogue() && awaited.editions.isEmpty)
        #expect(awaited.edition(soldAs: "com.example.1") == nil && !awaited.mayHave(.first))
        #expect(!awaited.isOut(.first, at: .after(0)) && !awaited.isFree(.first, at: .after(0)))
        #expect(awaited.archive(of: .first, at: .after(0)) == nil)
        let none = Catalogue()
        #expect(!none.isAwaited && none.mayHave(.first) && none.edition(soldAs: EditionID.first.rawValue) == .first)
        #expect(none.archive(of: .first, at: .after(0))?.file == .some(nil))
    }

    @Test("stands newest first, and keeps the first of two with one identifier")
    func order() {
        #expect(Self.catalogue.editions.map(\.title) == ["Three", "Two", "One"])
        #expect(Self.catalogue[.first]?.title == "One")
        #expect(Self.catalogue[EditionID("other")!] == nil)
        #expect(Self.catalogue.freeEditions == [.second])
    }

    @Test("does not count editions of the future among the newest")
    func newest() {
        #expect(Self.catalogue.newest(1, at: .after(0)) == [.second])
        #expect(Self.catalogue.newest(1, at: .after(100)) == [.third])
        #expect(Self.catalogue.newest(9, at: .after(0)) == [.first, .second])
        #expect(Self.catalogue.newest(-1, at: .after(0)) == [])
    }

    @Test("knows what came out just before an edition")
    func previous() {
        #expect(Self.catalogue.previous(1, before: .third) == [.second])
        #expect(Self.catalogue.previous(5, before: .third) == [.first, .second])
        #expect(Self.catalogue.previous(1, before: .first) == [])
        #expect(Self.catalogue.previous(1, before: EditionID("other")!) == [])
        #expect(Self.catalogue.previous(-1, before: .third) == [])
    }

    private func published(from start: TimeInterval, to end: TimeInterval?, by moment: TimeInterval) -> Set<EditionID> {
        Self.catalogue.published(
            during: Period(start: .after(start), end: end.map { .after($0) }), by: .after(moment))
    }

    @Test("counts both ends of a period")
    func periods() {
        #expect(published(from: -300, to: -200, by: 200) == [.first, .second])
        #expect(published(from: -299, to: -201, by: 200) == [])
        #expect(published(from: -200, to: nil, by: 200) == [.second, .third])
        #expect(published(from: 9, to: -9, by: 200) == [])
    }

    @Test("does not count editions of the future in a period that still runs")
    func futureInPeriods() {
        #expect(published(from: -200, to: nil, by: 0) == [.second])
        #expect(published(from: -200, to: nil, by: 100) == [.second, .third])
    }
}
