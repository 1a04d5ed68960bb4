import Testing

@testable import Conformance

@Suite("Cache status header")
struct CacheHitTests {
    @Test(
        "counts as a hit only by status, not by a name that contains the word",
        arguments: [
            ("X-Cache", "HIT from edge-3", true), ("X-Cache", "MISS from white-1.example.net", false),
            ("X-Cache", "MISS from hit.example.net", false), ("X-Cache", "TCP_MEM_HIT from a.example.net", true),
            ("X-Cache", "TCP_MISS, TCP_HIT", true), ("X-Cache", "MISS from white, HIT from black", true),
            ("X-Cache", "RefreshHit from cloudfront", true), ("X-Cache", "Miss from cloudfront", false),
            ("X-Cache-Status", "HIT", true), ("X-Cache-Status", "WHITELISTED", false),
            ("CF-Cache-Status", "DYNAMIC", false),
            ("CF-Cache-Status", "HIT", true), ("Age", "0", false), ("Age", "7", true), ("X-Varnish", "32770", false),
            ("X-Varnish", "32770 3", true), ("Cache-Status", "edge; hit", true),
            ("Cache-Status", "edge;hit;ttl=30", true),
            ("Cache-Status", "origin; fwd=miss, edge; hit=?1", true), ("Cache-Status", "edge; hit=?0", false),
            ("Cache-Status", "hit; fwd=miss; detail=hit", false),
            ("Cache-Status", "\"a, b; hit\"; fwd=uri-miss", false),
            ("Cache-Status", "\"a \\\"; hit\"; fwd=miss", false),
        ])
    func signs(name: String, value: String, isHit: Bool) {
        let response = ReceivedResponse(status: 200, fields: [Field(name, value)])
        #expect((CacheHit.sign(of: response) != nil) == isHit)
    }
}
