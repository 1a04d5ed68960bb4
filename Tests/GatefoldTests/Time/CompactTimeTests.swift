import Foundation
import TestSupport
import Testing

@testable import Gatefold

@Suite("Moments in few bytes")
struct CompactTimeTests {
    private let epoch = Date(timeIntervalSince1970: 1_577_836_800)

    @Test("Seconds round down, minutes up")
    func rounding() {
        #expect(CompactTime.seconds(epoch + 59.9) == 59)
        #expect(CompactTime.minutes(epoch + 60) == 1)
        #expect(CompactTime.minutes(epoch + 60.1) == 2)
        #expect(CompactTime.date(CompactTime.seconds(.after(0))) == .after(0))
    }

    @Test("What does not fit is held to what does, and what is no number is long ago")
    func extremes() {
        for far in [1e10, 1e19, 1e300, .infinity, .greatestFiniteMagnitude] {
            #expect(CompactTime.seconds(epoch + far) == .max)
            #expect(CompactTime.minutes(epoch + far) == 0xFF_FFFF)
            #expect(CompactTime.seconds(epoch - far) == 0)
            #expect(CompactTime.minutes(epoch - far) == 0)
        }
        #expect(CompactTime.seconds(epoch + .nan) == 0)
        #expect(CompactTime.minutes(epoch + .nan) == 0)
        #expect(CompactTime.seconds(.distantFuture) == .max)
    }

    @Test("A token of any lifetime is made, and one of no number is not good")
    func lifetimes() async throws {
        for lifetime in [1e300, .infinity] {
            let rig = ProxyRig { $0.lifetimes.token = lifetime }
            #expect(try await rig.verify(try await rig.token()).state == .active)
        }
        let rig = ProxyRig { $0.lifetimes.token = .nan }
        #expect(try await rig.verify(try await rig.token()).state != .active)
    }
}
