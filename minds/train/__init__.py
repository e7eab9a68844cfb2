"""Training: `Model`, callbacks, metrics, checkpoints, loss scaling."""
from . import callback, metrics
from .amp import build_train_network
from .callback import (Callback, CheckpointConfig, EarlyStopping, History, LambdaCallback, LearningRateScheduler,
                       LossMonitor, ModelCheckpoint, ReduceLROnPlateau, RunContext, TimeMonitor)
from .loss_scale_manager import DynamicLossScaleManager, FixedLossScaleManager, LossScaleManager
from .metrics import (F1, MAE, MSE, ROC, Accuracy, BleuScore, ConfusionMatrix, ConfusionMatrixMetric,
                      CosineSimilarity, Dice, Fbeta, Loss, Metric, Perplexity, Precision, Recall,
                      Top1CategoricalAccuracy, Top5CategoricalAccuracy, TopKCategoricalAccuracy, auc, get_metric_fn,
                      names, rearrange_inputs)
from .model import Model
from .serialization import (CheckpointError, async_ckpt_thread_status, load_checkpoint, load_param_into_net,
                            save_checkpoint)

__all__ = ["Accuracy", "BleuScore", "Callback", "CheckpointConfig", "CheckpointError", "ConfusionMatrix",
           "ConfusionMatrixMetric", "CosineSimilarity", "Dice", "DynamicLossScaleManager", "EarlyStopping", "F1", "Fbeta",
           "FixedLossScaleManager", "History", "LambdaCallback", "LearningRateScheduler", "Loss", "LossMonitor",
           "LossScaleManager", "MAE", "MSE", "Metric", "Model", "ModelCheckpoint", "Perplexity", "Precision", "ROC",
           "Recall", "ReduceLROnPlateau", "RunContext", "TimeMonitor", "Top1CategoricalAccuracy",
           "Top5CategoricalAccuracy", "TopKCategoricalAccuracy", "async_ckpt_thread_status", "auc", "build_train_network",
           "callback", "get_metric_fn", "load_checkpoint", "load_param_into_net", "metrics", "names", "rearrange_inputs",
           "save_checkpoint"]
