"""Classes of kernels that MindSpore has for Ascend devices or GPUs alone: libraries for several devices
import and make them, and call them there. Here a call is refused with what to use.
"""

from __future__ import annotations

from ...base.errors import complain
from ..faces import primitive

_CURES = {
    "use amp.all_finite": """NPUAllocFloatStatus NPUClearFloatStatus NPUClearFloatStatusV2
        NPUGetFloatStatus NPUGetFloatStatusV2 SilentCheckV2 SilentCheckV3""",
    "write it with ops.matmul and ops.softmax, or use nn.MultiheadAttention": """FlashAttentionScore
        FusedInferAttentionScore IncreFlashAttention LightningIndexer Mla MlaPreprocess
        MultiScaleDeformableAttn NsaCompress NsaCompressAttention NsaSelectAttention PagedAttention
        PagedAttentionMask PromptFlashAttention RingAttentionUpdate SparseFlashAttention
        SpeedFusionAttention""",
    "write it with ops.cat, ops.cos and ops.sin": "ApplyRotaryPosEmb DynamicNTK RotaryPositionEmbedding",
    "write it with ops.rms_norm or ops.layer_norm": """AddLayerNormV2 AddRmsNorm
        MatmulAllReduceAddRmsNorm""",
    "write it with ops.tensor_scatter_update": """KVCacheMgr KVCacheScatterUpdate KvScaleCache
        ReshapeAndCache""",
    "write it with ops.topk, ops.gather and ops.matmul": """FFN FFNExt FusedAddTopKDiv Gmm GmmV2
        GroupTopk GroupedMatmul GroupedMatmulV2 GroupedMatmulV4 InplaceGroupedMatmulAdd
        MoeComputeExpertTokens MoeDistributeCombine MoeDistributeDispatch MoeFinalizeRouting
        MoeGatingTopKSoftmax MoeInitRouting MoeInitRoutingV2 MoeTokenPermute MoeTokenUnpermute
        TopKRouter TopPRouter""",
    "call ops.matmul and the collective": "AllGatherMatmul MatmulReduceScatter",
    "differentiate the function with minds.grad": """BNTrainingReduceGrad BNTrainingUpdateGrad
        BasicLSTMCellCStateGrad BasicLSTMCellInputGrad BasicLSTMCellWeightGrad DynamicGRUV2Grad
        DynamicRNNGrad EmbeddingLookupCommGrad InstanceNormV2Grad NeighborExchangeV2Grad
        PSROIPoolingGrad SyncBatchNormGrad WKVGrad""",
    "use nn.LSTM, nn.GRU or nn.SyncBatchNorm": "BasicLSTMCell SyncBatchNorm WKV",
    "use ops.ROIAlign": "PSROIPooling",
    "use ops.ResizeBilinearV2": "ParallelResizeBilinear ParallelResizeBilinearGrad",
    "use nn.thor": """CusBatchMatMul CusCholeskyTrsm CusFusedAbsMax1 CusImg2Col CusMatMulCube
        CusMatMulCubeDenseLeft CusMatMulCubeDenseRight CusMatMulCubeFraczLeftCast
        CusMatMulCubeFraczRightMul CusMatrixCombine CusTranspose02314 LoadIm2Col""",
    "write it with ops.matmul, ops.round and ops.cast": """AntiQuant Dequant DequantSwigluQuant
        DynamicBlockQuant DynamicQuantExt Quant QuantBatchMatmul QuantLinearSparse QuantMatmul QuantV2
        TransposeBatchMatmulTranspose WeightQuantBatchMatmul""",
}


_CURES_OF_GPUS = {
    "differentiate the function with minds.grad": """GruGradData GruGradWeight LSTMGradData
        LSTMGradWeight PsROIPoolingGrad""",
    "use ops.ROIAlign": "PsROIPooling",
    "use nn.GRU": "CudnnGRU",
}


def _refused(cure: str, names: str, where: str) -> None:
    @primitive(name=names, inner=not names.startswith("NPU"))
    def kernel(*settings, **options):
        """A kernel of other devices, which is refused here.

        Args:
            settings (Any), options (Any): what MindSpore's primitive is made with.
            operands (Tensor): what it computes from.

        Returns:
            Tensor: the result; on MindSpore's device alone.

        Raises:
            RuntimeError: it is called.

        Examples:
            >>> status = ops.NPUGetFloatStatus() if ms.get_context("device_target") == "Ascend" else None
        """

        def call(*operands, **options):
            raise complain(RuntimeError, f"it is a kernel of {where}", cure=cure)

        return call


for _table, _where in ((_CURES, "Ascend devices"), (_CURES_OF_GPUS, "GPUs")):
    for _cure, _names in _table.items():
        _refused(_cure, _names, _where)
