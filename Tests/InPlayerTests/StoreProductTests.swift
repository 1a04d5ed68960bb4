import InPlayer
import Testing

@Suite("A product's identifier in an app store")
struct StoreProductTests {
    @Test("names item and access fee as whole numbers, and whatever follows counts for nothing")
    func convention() {
        #expect(StoreProduct(identifier: "43929_4805") == .fee(item: 43_929, accessFee: 4_805))
        #expect(StoreProduct(identifier: "43929_4805_promo_1") == .fee(item: 43_929, accessFee: 4_805))
        for other in ["43929", "_", "a_b", "43929_", "_4805", "4.5_1", "-1_2", "com.example_1", ""] {
            #expect(StoreProduct(identifier: other) == nil)
        }
    }
}
