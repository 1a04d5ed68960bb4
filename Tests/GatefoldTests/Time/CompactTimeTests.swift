import Foundation
import Primitives
import TestSupport
import Testing

@testable import Gatefold

@Suite("Compact timestamps")
struct CompactTimeTests {
    private let epoch = Date(timeIntervalSince1970: 1_577_836_800)

    @Test("Seconds round down and minutes round up")
    func rounding() {
        #expect(CompactTime.seconds(epoch + 59.9) == 59)
        #expect(CompactTime.minutes(epoch + 60) == 1)
        #expect(CompactTime.minutes(epoch + 60.1) == 2)
        #expect(CompactTime.date(CompactTime.seconds(.after(0))) == .after(0))
    }

    @Test("Out-of-range values are clamped, and NaN becomes the minimum")
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

    @Test("A token can have any lifetime, and one with a NaN lifetime is not valid")
    func lifetimes() async throws {
        for lifetime in [1e300, .infinity] {
            let harness = AuthorizationHarness { $0.lifetimes.token = lifetime }
            #expect(try await harness.verify(try await harness.token()).state == .active)
        }
        let harness = AuthorizationHarness { $0.lifetimes.token = .nan }
        #expect(try await harness.verify(try await harness.token()).state != .active)
    }
}
