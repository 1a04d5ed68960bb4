import InPlayer
import Testing

@Suite("Store product identifier")
struct StoreProductTests {
    @Test("holds item and access fee as whole numbers, and ignores further parts")
    func convention() {
        #expect(StoreProduct(identifier: "43929_4805") == .fee(item: 43_929, accessFee: 4_805))
        #expect(StoreProduct(identifier: "43929_4805_promo_1") == .fee(item: 43_929, accessFee: 4_805))
        for other in ["43929", "_", "a_b", "43929_", "_4805", "4.5_1", "-1_2", "com.example_1", ""] {
            #expect(StoreProduct(identifier: other) == nil)
        }
    }
}
